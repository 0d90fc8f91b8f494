"""The matrices W_Q, W_K, W_V and W_O: identity, random, subspaces of the vectors, or read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from attention_core.errors import AttentionError

_STORED = {"q": "w_q", "k": "w_k", "v": "w_v", "o": "w_o", "q_bias": "b_q", "k_bias": "b_k", "v_bias": "b_v"}
_STORED["o_bias"] = "b_o"
"""The names of the tensors in a file."""
Part = Literal["query", "key", "value"]
PARTS: tuple[Part, ...] = get_args(Part)
"""Whose matrices are made of heads: W_Q, W_K and W_V."""


@dataclass(frozen=True, eq=False)
class Projections:
    """Weight matrices (out, in), as torch.nn.Linear keeps them: Q = X·W_Qᵀ + b_Q.

    Heads are contiguous blocks of rows of q, k and v and of columns of o.

    Attributes:
        q: (heads·d, in).
        k: (kv_heads·d, in).
        v: (kv_heads·d_v, in).
        o: (out, heads·d_v); None joins the heads and leaves them so.
        q_bias, k_bias, v_bias, o_bias: (rows of the matrix,), or None.

    Raises:
        AttentionError: shapes that do not fit together, or numbers that are not floating or not finite.

    Example:
        >>> Projections.random(seed=0, size=6, heads=3, kv_heads=1)
        Projections(q (6, 6), k (2, 6), v (2, 6), o (6, 6))
    """

    q: Tensor
    k: Tensor
    v: Tensor
    o: Tensor | None = None
    q_bias: Tensor | None = None
    k_bias: Tensor | None = None
    v_bias: Tensor | None = None
    o_bias: Tensor | None = None

    def __post_init__(self) -> None:
        for name in _STORED:
            if getattr(self, name) is not None:
                object.__setattr__(self, name, _finite(name, getattr(self, name)))
        shapes = {name: tuple(getattr(self, name).shape) for name in "qkvo" if getattr(self, name) is not None}
        if any(len(shape) != 2 for shape in shapes.values()) or len({shapes[name][1] for name in "qkv"}) != 1:
            raise AttentionError(
                "Matrices q (heads·d, in), k (kv_heads·d, in), v (kv_heads·d_v, in) and o (out, heads·d_v) are "
                f"expected, found {self}. Give q, k and v the size of the vectors as their second axis."
            )
        for name in shapes:
            bias = getattr(self, f"{name}_bias")
            if bias is not None and tuple(bias.shape) != shapes[name][:1]:
                raise AttentionError(
                    f"{name}_bias ({shapes[name][0]},) is expected beside {name} {shapes[name]}, found "
                    f"{tuple(bias.shape)}. Give one number for each row of the matrix."
                )
        if self.o is None and self.o_bias is not None:
            raise AttentionError("An o_bias was given without o. Give both, or neither.")

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return f"Projections({', '.join(f'{n} {tuple(w.shape)}' for n, w in given.items() if w is not None)})"

    @classmethod
    def identity(cls, size: int) -> Projections:
        """Q = K = V = X and no change after: attention among the vectors themselves. Float64."""
        eye = torch.eye(size, dtype=torch.float64)
        return cls(eye, eye, eye, eye)

    @classmethod
    def random(
        cls, seed: int, size: int, heads: int = 1, kv_heads: int | None = None, head_size: int | None = None
    ) -> Projections:
        """Seeded normal weights of variance 1/in, which keep the variance of what they project. Float64.

        Args:
            seed: of a generator of their own; the same seed gives the same weights.
            size: components of the vectors, which is also that of the result.
            heads: number of query heads.
            kv_heads: number of key and value heads; None for as many.
            head_size: components of a head; None for size/heads.

        Raises:
            AttentionError: heads that do not divide the size.
        """
        head = _head_size(size, heads) if head_size is None else head_size
        rows = [heads * head, *(2 * [(heads if kv_heads is None else kv_heads) * head])]
        generator = torch.Generator().manual_seed(seed)
        shapes = [*((row, size) for row in rows), (size, heads * head)]
        normal = (torch.randn(shape, generator=generator, dtype=torch.float64) / shape[1] ** 0.5 for shape in shapes)
        return cls(*normal)

    @classmethod
    def orthogonal_subspaces(cls, seed: int, size: int, heads: int) -> Projections:
        """Each head sees the vectors in a subspace of its own, all at right angles; together they see everything.

        W_Q = W_K = W_V = R, a random rotation whose blocks of rows span the subspaces, and W_O = Rᵀ turns back.

        Raises:
            AttentionError: heads that do not divide the size.
        """
        _head_size(size, heads)
        generator = torch.Generator().manual_seed(seed)
        normal = torch.randn(size, size, generator=generator, dtype=torch.float64)
        basis, triangle = torch.linalg.qr(normal)
        return cls._turning((basis * torch.sign(triangle.diagonal())).mT)  # signs: every rotation is equally likely

    @classmethod
    def pca_subspaces(cls, vectors: Tensor | ArrayLike, heads: int) -> Projections:
        """The first head sees the principal axes of most variance, the last those of least.

        W_Q = W_K = W_V are the axes of the centred vectors, in order, each with its largest component positive; W_O
        turns back. With fewer vectors than components, the last axes are an arbitrary basis of what remains.

        Args:
            vectors: (n, size), for instance `embeddings.matrix`.
            heads: number of heads; it divides the size.

        Raises:
            AttentionError: no matrix of finite numbers, or heads that do not divide the size.
        """
        x = _finite("vectors", vectors).double()
        if x.ndim != 2 or not len(x):
            raise AttentionError(f"Vectors (n, size) are expected, found {tuple(x.shape)}. Give a matrix of rows.")
        _head_size(x.shape[1], heads)
        centred = x - x.mean(dim=0)
        axes = torch.linalg.eigh(centred.mT @ centred).eigenvectors.flip(-1).mT  # (axis, component)
        largest = axes.gather(1, axes.abs().argmax(dim=1, keepdim=True))
        return cls._turning(axes * torch.sign(largest))

    @classmethod
    def _turning(cls, rotation: Tensor) -> Projections:
        return cls(rotation, rotation, rotation, rotation.mT)

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, Tensor]) -> Projections:
        """From named tensors: those of `save`, or the state dict of a torch.nn.MultiheadAttention.

        The names are w_q, w_k, w_v, w_o and b_q, b_k, b_v, b_o (w_o and the biases may be missing); or in_proj_weight,
        in_proj_bias, out_proj.weight and out_proj.bias.

        Raises:
            AttentionError: names of neither kind, or others beside them.
        """
        if "in_proj_weight" in tensors:
            tensors = _from_torch(tensors)
        unknown = sorted(set(tensors) - set(_STORED.values()))
        missing = [name for name in ("w_q", "w_k", "w_v") if name not in tensors]
        if unknown or missing:
            raise AttentionError(
                "Tensors w_q, w_k, w_v, w_o and b_q, b_k, b_v, b_o, or in_proj_weight, in_proj_bias, out_proj.weight "
                f"and out_proj.bias, are expected, found {', '.join(sorted(tensors))[:200] or 'none'}. Rename them."
            )
        return cls(**{name: tensors[stored] for name, stored in _STORED.items() if stored in tensors})

    @classmethod
    def load(cls, path: str | Path) -> Projections:
        """Reads a safetensors file with the names of `from_tensors`; nothing is ever unpickled.

        Raises:
            AttentionError: a file that is not safetensors, or whose tensors do not fit.
        """
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise AttentionError(f"{Path(path).name}: {error}. Give the path of a safetensors file.") from error
        return cls.from_bytes(content, Path(path).name)

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "weights") -> Projections:
        """The same from what such a file holds.

        Args:
            content: of the file.
            name: what refusals call it.

        Raises:
            AttentionError: no safetensors, or tensors that do not fit.
        """
        from safetensors import SafetensorError
        from safetensors.torch import load

        try:
            tensors = load(content)
        except (SafetensorError, ValueError, KeyError) as error:
            raise AttentionError(
                f"{name}: a safetensors file is expected, found {error}. Other files can run code when they are read: "
                "convert yours with safetensors.torch.save_file where you trust it."
            ) from error
        return cls.from_tensors(tensors)

    def save(self, path: str | Path) -> None:
        """Writes a safetensors file with the tensors w_q, w_k, w_v, w_o, b_q, b_k, b_v and b_o, as far as given."""
        from safetensors.torch import save_file

        given = {stored: getattr(self, name) for name, stored in _STORED.items() if getattr(self, name) is not None}
        save_file(
            {name: tensor.detach().clone(memory_format=torch.contiguous_format) for name, tensor in given.items()}, path
        )

    def kv_heads(self, heads: int) -> int:
        """How many key and value heads the matrices hold beside so many query heads.

        Raises:
            AttentionError: the matrices cannot be cut into so many heads.

        Example:
            >>> Projections.random(seed=0, size=12, heads=6, kv_heads=2).kv_heads(6)
            2
        """
        rows, keys, values = (len(given) for given in (self.q, self.k, self.v))
        size = rows // heads if heads > 0 and rows % heads == 0 else 0
        found = keys // size if size else 0
        if not found or keys % size or heads % found or values % found:
            raise AttentionError(
                f"With {heads} heads, q (heads·d, in), k (kv_heads·d, in) and v (kv_heads·d_v, in) are expected, where "
                f"kv_heads divides heads; found {self}. Choose the number of heads that they were made for."
            )
        return found

    def blocks(self, part: Part, heads: int) -> list[NDArray[np.float64]]:
        """The rows of W_Q, W_K or W_V that belong to each of their heads: (rows of a head, in).

        Args:
            part: “query”, “key” or “value”.
            heads: number of query heads.

        Raises:
            AttentionError: another part, or heads that do not fit.
        """
        if part not in PARTS:
            raise AttentionError(f"There is no part “{part}”. Choose one of {', '.join(PARTS)}.")
        kv_heads = self.kv_heads(heads)
        matrix, count = {"query": (self.q, heads), "key": (self.k, kv_heads), "value": (self.v, kv_heads)}[part]
        return np.split(np.asarray(matrix.detach().cpu().double()), count)

    def to(self, like: Tensor) -> Projections:
        """The same weights in the dtype and on the device of another tensor."""
        given = (getattr(self, field.name) for field in fields(self))
        return Projections(*(None if one is None else one.to(like) for one in given))  # type: ignore[arg-type] # q, k, v stay given


def _finite(name: str, given: Tensor | ArrayLike) -> Tensor:
    tensor = given if isinstance(given, Tensor) else torch.tensor(np.asarray(given))
    floating = tensor.is_floating_point() and tensor.dtype.itemsize > 1  # torch cannot compute with floats of 8 bits
    if not floating or not bool(tensor.isfinite().all()):
        found = "some that are not finite" if floating else str(tensor.dtype)
        raise AttentionError(
            f"Finite numbers in float16 or wider are expected in {name}, found {found}. Convert or repair them."
        )
    return tensor


def _head_size(size: int, heads: int) -> int:
    if heads < 1 or size < 1 or size % heads:
        raise AttentionError(
            f"{heads} heads do not divide {size} components into equal blocks. Choose a number of heads that divides "
            f"{size}, such as {', '.join(str(h) for h in range(1, size + 1) if size % h == 0)[:40] or 'none'}."
        )
    return size // heads


def _from_torch(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of a torch.nn.MultiheadAttention under the names of `save`."""
    if len(state["in_proj_weight"]) % 3:
        raise AttentionError(
            f"in_proj_weight (3·size, size) is expected, found {tuple(state['in_proj_weight'].shape)}. Give the state "
            "dict of a torch.nn.MultiheadAttention."
        )
    renamed = {"out_proj.weight": "w_o", "out_proj.bias": "b_o"}
    found = {renamed.get(name, name): tensor for name, tensor in state.items() if not name.startswith("in_proj_")}
    for stored, given in (("w", "in_proj_weight"), ("b", "in_proj_bias")):
        if given in state:
            found |= {f"{stored}_{part}": rows for part, rows in zip("qkv", state[given].chunk(3), strict=True)}
    return found
