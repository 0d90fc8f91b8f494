"""The reader's own projection weights: the box for their file, which stays in the session."""

from __future__ import annotations

import hashlib

import streamlit as st

import attention_core as ac
from attention_core.attention.projections import Projections
from dashboard.attention.asked import OwnWeights
from dashboard.language import _
from dashboard.own_file import OwnFile

WEIGHTS = OwnFile[OwnWeights]("weights")
MEGABYTES = 100
ROWS = 16_384
"""Rows of a matrix of one's own at most: all tokens are projected on each."""


def asked_for() -> bool:
    """Whether the reader's own weights are asked for, by the widget that is drawn later."""
    return bool(st.session_state.get("projection", st.query_params.get("projection")) == "own")


def own(size: int) -> OwnWeights | None:
    """Draws the uploader of weights; the session's own, or None as long as there are none.

    Args:
        size: components of the vectors.

    Raises:
        AttentionError: a file that is no safetensors, or whose tensors do not fit together.
    """
    WEIGHTS.box(
        _(
            "Your W_Q, W_K, W_V and W_O: a safetensors file with the tensors w_q (heads·d × {size}), w_k and w_v "
            "(key heads·d × {size}), w_o (out × heads·d) and, if you like, b_q, b_k, b_v, b_o; or the state dict of "
            "torch.nn.MultiheadAttention"
        ).format(size=size),
        MEGABYTES,
        lambda file: read(file.getvalue(), file.name),
    )
    found = WEIGHTS.found()
    if found is None:
        st.info(_("Weights of your own stay in this session; a link does not carry them. Choose a file to go on."))
    else:
        st.text(f"{found.name}: {found.projections}")
    return found


def read(content: bytes, name: str) -> OwnWeights:
    """Weights from what a file holds.

    Raises:
        AttentionError: a file that is too large, no safetensors, or tensors that do not fit.
    """
    if len(content) > MEGABYTES * 1_000_000:
        raise ac.AttentionError(
            f"{name} has {len(content):,} bytes, and at most {MEGABYTES} MB are read. Give the weights of one layer."
        )
    found = Projections.from_bytes(content, name)
    most = max(len(found.q), len(found.v), 0 if found.o is None else len(found.o))
    if most > ROWS:
        raise ac.AttentionError(
            f"{name} has a matrix of {most:,} rows, and at most {ROWS:,} are taken. Give the weights of one layer."
        )
    return OwnWeights(name, hashlib.sha256(content).hexdigest(), found)
