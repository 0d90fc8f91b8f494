"""Latent attention against Hugging Face's DeepseekV3Attention, with its weights, with and without YaRN."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from transformers.models.deepseek_v3 import modeling_deepseek_v3 as transformers

from attention_core.attention import ExpandedCache, LatentCache, LatentConfig, latent
from tests.attending import array
from tests.tolerance import tolerance

pytestmark = pytest.mark.usefixtures("one_thread")
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 32, "beta_slow": 1,
        "rope_theta": 10_000.0}  # fmt: skip
KINDS = {
    "plain": (5, {"rope_type": "default", "rope_theta": 10_000.0}),
    "queries as they are": (None, {"rope_type": "default", "rope_theta": 500.0}),
    "yarn": (5, YARN | {"mscale": 1.0, "mscale_all_dim": 1.0}),
    "yarn whose lengths change": (5, YARN | {"mscale": 1.0, "mscale_all_dim": 0.5}),
}


@pytest.fixture(params=KINDS.values(), ids=KINDS)
def peer(request):
    """Theirs, with random weights, norms and all, and the configuration that it was made from."""
    rank, rope = request.param
    settings = transformers.DeepseekV3Config(
        hidden_size=23, num_attention_heads=3, num_key_value_heads=3, q_lora_rank=rank, kv_lora_rank=7,
        qk_nope_head_dim=11, qk_rope_head_dim=6, v_head_dim=13, rope_parameters=rope, max_position_embeddings=64,
        attn_implementation="eager",
    )  # fmt: skip
    theirs = transformers.DeepseekV3Attention(settings, layer_idx=0).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in theirs.parameters():
            weight.normal_(float(weight.ndim == 1), weight.shape[-1] ** -0.5, generator=generator)
    return theirs, settings


def of_theirs(theirs, settings, x):
    n = x.shape[1]
    turns = transformers.DeepseekV3RotaryEmbedding(settings)(x, torch.arange(n)[None])
    later = torch.full((n, n), -torch.inf).triu(1)[None, None]
    with torch.no_grad():
        return theirs(x, turns, later)


def test_every_form_gives_what_theirs_gives(peer):
    theirs, settings = peer
    config = LatentConfig.read(settings.to_dict())
    ours = latent.from_tensors(theirs.state_dict(), config)
    x = torch.randn(2, 17, 23, generator=torch.Generator().manual_seed(1))
    wanted, weights = of_theirs(theirs, settings, x)
    atol = tolerance(np.float32, terms=3 * 23, scale=float(wanted.abs().max()), why="five products in a row in float32")
    found = ours(x)
    np.testing.assert_allclose(array(found.output), array(wanted), rtol=0, atol=atol)
    np.testing.assert_allclose(array(found.weights), array(weights), rtol=0, atol=atol)
    for cache in (LatentCache(config, 2, 17, x), ExpandedCache(config, 2, 17, x)):
        first = ours.prefill(x[:, :13], cache).output
        rest = [ours.decode(x[:, i : i + 1], cache).output for i in range(13, 17)]
        np.testing.assert_allclose(array(torch.cat([first, *rest], dim=1)), array(wanted), rtol=0, atol=atol)


def test_a_layer_of_a_checkpoint_is_read_by_its_prefix(peer, tmp_path):
    theirs, settings = peer
    prefix = "model.layers.3.self_attn."
    stored = {prefix + name: weight.contiguous() for name, weight in theirs.state_dict().items()}
    save_file(stored | {"model.layers.4.self_attn.o_proj.weight": torch.zeros(1)}, tmp_path / "part.safetensors")
    ours = latent.load(tmp_path / "part.safetensors", LatentConfig.read(settings.to_dict()), prefix)
    assert {name: w.tolist() for name, w in ours.state_dict().items()} == {
        name: w.tolist() for name, w in theirs.state_dict().items()
    }
