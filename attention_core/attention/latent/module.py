"""Multi-head latent attention (MLA) as DeepSeek-V2 and V3 define it, in three forms with one result."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn

from attention_core.attention.base import Attention, allowed
from attention_core.attention.latent.cache import ExpandedCache, LatentCache
from attention_core.attention.latent.config import LatentConfig
from attention_core.attention.rotary import rotate
from attention_core.attention.scaled import scaled
from attention_core.errors import AttentionError
from attention_core.memory import check_room

Cache = LatentCache | ExpandedCache


class LatentAttention(nn.Module):
    """Keys and values of all heads are made from one small latent, which alone is cached (DeepSeek-V2, section 2.1).

    c^Q = RMSNorm(W^DQ h), [q^C; q^R] = W^UQ c^Q for each head; [c; k^R] = W^DKV h, RMSNorm on c alone;
    [k^C; v] = W^UKV c for each head. RoPE turns q^R and the one k^R that all heads share, pairs (2i, 2i + 1). A head
    attends by q^C·k^C + q^R·k^R, times `config.scale`; W^O joins the heads.

    - `forward` keeps nothing: the plain form, which the others must equal.
    - `prefill` takes many tokens and makes keys and values of all that is cached (**naive** with a `LatentCache`), or
      keeps them (**expanded** with an `ExpandedCache`).
    - `decode` does the same with an `ExpandedCache`. With a `LatentCache` it is **absorbed**: W^UK goes into the query
      and W^UV into the output (q^C·W^UK c = (W^UKᵀ q^C)·c), so that the cache itself is key and value of all heads.

    The parameters have the names of Hugging Face's checkpoints: q_a_proj, q_a_layernorm and q_b_proj, or q_proj where
    queries are not compressed; kv_a_proj_with_mqa, kv_a_layernorm, kv_b_proj and o_proj. See `load`.

    Args:
        config: the sizes.
        seed: of the weights, normal with variance 1/in, from a generator of their own; norms begin at 1.
        dtype: of the weights.

    Raises:
        AttentionError: weights that would not fit into memory; nothing is allocated then.

    Example:
        >>> attention = LatentAttention(LatentConfig(10, 2, 6, 4, 3, 2, 5))
        >>> x = torch.randn(1, 7, 10, generator=torch.Generator().manual_seed(0))
        >>> cache = LatentCache(attention.config, batch=1, capacity=7, like=x)
        >>> first = attention.prefill(x[:, :6], cache).output
        >>> last = attention.decode(x[:, 6:], cache).output
        >>> torch.allclose(torch.cat([first, last], dim=1), attention(x).output, atol=1e-6)
        True
    """

    into_query: Tensor | None
    into_output: Tensor | None

    def __init__(self, config: LatentConfig, seed: int = 0, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.config = config
        heads, rank = config.num_heads, config.kv_lora_rank
        check_room(
            config.weights * dtype.itemsize,
            f"A layer of {config.weights:,} weights",
            "Choose smaller sizes.",
            AttentionError,
            torch.get_default_device().type,
        )
        if config.q_lora_rank:
            self.q_a_proj = _linear(config.hidden_size, config.q_lora_rank, dtype)
            self.q_a_layernorm = nn.RMSNorm(config.q_lora_rank, config.rms_norm_eps, dtype=dtype)
            self.q_b_proj = _linear(config.q_lora_rank, heads * config.qk_head_dim, dtype)
        else:
            self.q_proj = _linear(config.hidden_size, heads * config.qk_head_dim, dtype)
        self.kv_a_proj_with_mqa = _linear(config.hidden_size, config.cached, dtype)
        self.kv_a_layernorm = nn.RMSNorm(rank, config.rms_norm_eps, dtype=dtype)
        self.kv_b_proj = _linear(rank, heads * (config.qk_nope_head_dim + config.v_head_dim), dtype)
        self.o_proj = _linear(heads * config.v_head_dim, config.hidden_size, dtype)
        self.register_buffer("into_query", None, persistent=False)
        self.register_buffer("into_output", None, persistent=False)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for layer in self.children():
                if isinstance(layer, nn.Linear):
                    layer.weight.normal_(0, layer.in_features**-0.5, generator=generator)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, causal: bool = True, positions: Tensor | None = None
    ) -> Attention[Tensor]:
        """Attention among the tokens given.

        Args:
            x: (..., token, hidden).
            mask: broadcasts to (..., query, key), True = may attend; with one axis more than x, each head has its own.
            causal: no token sees a later one.
            positions: (token,) or what broadcasts to (..., token); None for 0, 1, 2, …

        Returns:
            output (..., token, hidden) and weights (..., heads, query, key).

        Raises:
            AttentionError: shapes, a dtype or a mask that do not fit.
        """
        places = self._positions(x, positions, 0)
        keys, values = self.expanded(self.compressed(x, places))
        found = scaled(self.queries(x, places), keys, values, _for_heads(mask, x), causal, self.config.scale)
        return self.joined(found)

    def prefill(
        self, x: Tensor, cache: Cache, mask: Tensor | None = None, positions: Tensor | None = None
    ) -> Attention[Tensor]:
        """Attention of further tokens to all that is cached and, causally, to each other; they are cached too.

        Args:
            x: (batch, token, hidden).
            cache: of the batch; it grows by the tokens.
            mask: broadcasts to (batch, query, key), where keys are all tokens held then; see `forward`.
            positions: None for those that follow the tokens held.

        Returns:
            output (batch, token, hidden) and weights (batch, heads, query, key).

        Raises:
            AttentionError: shapes, a dtype or a mask that do not fit, or a full cache.
        """
        places = self._cached_positions(x, cache, positions)
        rows = self.compressed(x, places)
        if isinstance(cache, LatentCache):
            cache.append(rows)
            keys, values = self.expanded(cache.rows)
        else:
            cache.append(*self.expanded(rows))
            keys, values = cache.keys, cache.values
        found = scaled(self.queries(x, places), keys, values, _for_heads(mask, x), causal=True, scale=self.config.scale)
        return self.joined(found)

    def decode(
        self, x: Tensor, cache: Cache, mask: Tensor | None = None, positions: Tensor | None = None
    ) -> Attention[Tensor]:
        """The same as `prefill` for one token, or a few; with a `LatentCache` in the absorbed form."""
        if not isinstance(cache, LatentCache):
            return self.prefill(x, cache, mask, positions)
        places = self._cached_positions(x, cache, positions)
        cache.append(self.compressed(x, places))
        return self.joined(self.absorbed(self.queries(x, places), cache.rows, _for_heads(mask, x)))

    def queries(self, x: Tensor, positions: Tensor) -> Tensor:
        """(..., heads, token, nope + rope), the rotary part turned."""
        config = self.config
        whole = self.q_b_proj(self.q_a_layernorm(self.q_a_proj(x))) if config.q_lora_rank else self.q_proj(x)
        by_head = whole.unflatten(-1, (config.num_heads, config.qk_head_dim)).transpose(-3, -2)
        nope, rope = by_head.split([config.qk_nope_head_dim, config.qk_rope_head_dim], dim=-1)
        turned = rotate(rope, positions.unsqueeze(-2), config.rope_theta, yarn=config.yarn)
        return torch.cat([nope, turned], dim=-1)

    def compressed(self, x: Tensor, positions: Tensor) -> Tensor:
        """(..., token, kv_lora_rank + rope): the normalised latent and the turned key, what a `LatentCache` keeps."""
        config = self.config
        latent, rope = self.kv_a_proj_with_mqa(x).split([config.kv_lora_rank, config.qk_rope_head_dim], dim=-1)
        turned = rotate(rope, positions, config.rope_theta, yarn=config.yarn)
        return torch.cat([self.kv_a_layernorm(latent), turned], dim=-1)

    def expanded(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Keys (..., heads, token, nope + rope) and values (..., heads, token, v) of what `compressed` gives."""
        config = self.config
        latent, rope = torch.split(rows, [config.kv_lora_rank, config.qk_rope_head_dim], dim=-1)
        by_head = self.kv_b_proj(latent).unflatten(-1, (config.num_heads, -1)).transpose(-3, -2)
        nope, values = by_head.split([config.qk_nope_head_dim, config.v_head_dim], dim=-1)
        shared = rope.unsqueeze(-3).expand(*nope.shape[:-1], -1)
        return torch.cat([nope, shared], dim=-1), values

    def absorbed(self, q: Tensor, rows: Tensor, mask: Tensor | None = None) -> Attention[Tensor]:
        """What each head gives, without keys or values being made: all heads' queries attend to the cache itself.

        Args:
            q: (batch, heads, token, nope + rope), of the last tokens held.
            rows: (batch, key, kv_lora_rank + rope).
            mask: broadcasts to (batch, heads, query, key).

        Returns:
            output (batch, heads, token, v) and weights (batch, heads, query, key).
        """
        config, by_head = self.config, q.shape[:3]
        nope, rope = torch.split(q, [config.qk_nope_head_dim, config.qk_rope_head_dim], dim=-1)
        into_query, into_output = self.absorbed_weights()
        queries = torch.cat([_each_head(nope, into_query), rope], dim=-1)  # (batch, heads, token, latent + rope)
        may = allowed(mask, q, rows.unsqueeze(1), align="bottom-right")
        may = None if may is None else may.expand(*q.shape[:3], rows.shape[-2]).flatten(1, 2)
        asking = queries.flatten(1, 2)  # heads are further queries
        if len(rows) == 1:  # half precision multiplies a batch of one several times slower than a matrix
            asking, rows, may = asking[0], rows[0], None if may is None else may[0]
        found = scaled(asking, rows, rows[..., : config.kv_lora_rank], may, scale=config.scale)
        output = _each_head(found.output.reshape(*by_head, -1), into_output)
        return Attention(output, found.weights.reshape(*by_head, -1))

    def joined(self, heads: Attention[Tensor]) -> Attention[Tensor]:
        """What the heads give, (..., heads, token, v), joined and projected by W^O."""
        return Attention(self.o_proj(heads.output.transpose(-3, -2).flatten(-2)), heads.weights)

    def absorb(self) -> None:
        """Lays out W^UK and W^UVᵀ in one piece each, as serving does: half precision else copies them for every token.

        They take the memory of kv_b_proj again, and do not see what becomes of its weights later.
        """
        half = self.kv_b_proj.weight.element_size() == 2
        self.into_query, self.into_output = (
            weights.detach().mT.contiguous().mT if half else weights.detach().contiguous()  # see _each_head
            for weights in self.absorbed_weights()
        )

    def absorbed_weights(self) -> tuple[Tensor, Tensor]:
        """W^UK (heads, nope, kv_lora_rank) and W^UVᵀ (heads, kv_lora_rank, v): views into kv_b_proj, or as laid out."""
        if self.into_query is not None and self.into_output is not None:
            return self.into_query, self.into_output
        by_head = self.kv_b_proj.weight.reshape(self.config.num_heads, -1, self.config.kv_lora_rank)
        keys, values = torch.split(by_head, [self.config.qk_nope_head_dim, self.config.v_head_dim], dim=1)
        return keys, values.mT

    def _positions(self, x: Tensor, positions: Tensor | None, first: int) -> Tensor:
        weight = self.kv_a_proj_with_mqa.weight
        fits = x.ndim >= 2 and x.shape[-1] == self.config.hidden_size
        if not fits or (x.dtype, x.device) != (weight.dtype, weight.device):
            raise AttentionError(
                f"Hidden states (..., token, {self.config.hidden_size}) in {weight.dtype} on {weight.device} are "
                f"expected, found {tuple(x.shape)} in {x.dtype} on {x.device}. Convert one of the two with .to(...)."
            )
        return torch.arange(first, first + x.shape[-2], device=x.device) if positions is None else positions

    def _cached_positions(self, x: Tensor, cache: Cache, positions: Tensor | None) -> Tensor:
        held = cache.rows if isinstance(cache, LatentCache) else cache.values
        if x.ndim != 3 or (len(x), x.dtype, x.device) != (len(held), held.dtype, held.device):
            raise AttentionError(
                f"Hidden states (batch, token, hidden) for a cache of {len(held)} sequences in {held.dtype} on "
                f"{held.device} are expected, found {tuple(x.shape)} in {x.dtype} on {x.device}. Make the cache for "
                "this batch with like=x."
            )
        return self._positions(x, positions, cache.length)


def _linear(into: int, out: int, dtype: torch.dtype) -> nn.Linear:
    """Without the usual random numbers, which come from a generator that all share."""
    return cast(nn.Linear, nn.utils.skip_init(nn.Linear, into, out, bias=False, dtype=dtype))  # type: ignore[no-untyped-call] # torch's


def _for_heads(mask: Tensor | None, x: Tensor) -> Tensor | None:
    """The mask with an axis for the heads, unless it has one."""
    return mask.unsqueeze(-3) if mask is not None and 2 < mask.ndim <= x.ndim else mask


def _each_head(x: Tensor, weights: Tensor) -> Tensor:
    """(batch, heads, token, a) times (heads, a, b): one product for each head, whatever the batch."""
    batch, heads, tokens, _ = x.shape
    x = x.transpose(0, 1).flatten(1, 2)  # (heads, batch·token, a)
    # half precision multiplies rows that lie in one piece by a column, a half faster than a row by a matrix
    columns = x.element_size() == 2 and weights.stride(-2) == 1
    found = (weights.mT @ x.mT).mT if columns else x @ weights  # (heads, batch·token, b)
    return found.reshape(heads, batch, tokens, -1).transpose(0, 1)
