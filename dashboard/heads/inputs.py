"""What Heads asks beside a sentence and its settings: weights of one's own, a word, and one of three matrices."""

from __future__ import annotations

import hashlib
from typing import cast

import streamlit as st

import attention_core as ac
from attention_core.attention.projections import PARTS, Part, Projections
from dashboard.attention import inputs
from dashboard.heads.asked import Heads, OwnWeights
from dashboard.inputs import one_of_few
from dashboard.language import _
from dashboard.upload import release
from dashboard.view import View

WEIGHTS, TURN = "_heads_weights", "_heads_turn"
MEGABYTES = 100
ROWS = 16_384
"""Rows of a matrix of one's own at most: all tokens are projected on each."""


def heads(view: View) -> Heads | None:
    """The sentence and how it is attended to; None where weights of one's own are wanted and there are none yet.

    Raises:
        AttentionError: a sentence, a choice or weights that are not possible.
    """
    sentence = inputs.sentence(view)
    place, own = st.container(), None
    if inputs.own_weights():
        own = _own(view.embeddings.dimension)  # before the settings, whose refusal must leave room for another file
    with place:
        settings = inputs.settings(view, inputs.Several(None if own is None else own.projections))
    return None if inputs.own_weights() and own is None else Heads(sentence, settings, own)


def _own(size: int) -> OwnWeights | None:
    """Draws the uploader of weights; the session's own, or None as long as there are none.

    A file that was read leaves the uploader, and its bytes leave the server's memory.
    """
    file = st.file_uploader(
        _(
            "Your W_Q, W_K, W_V and W_O: a safetensors file with the tensors w_q (heads·d × {size}), w_k and w_v "
            "(key heads·d × {size}), w_o (out × heads·d) and, if you like, b_q, b_k, b_v, b_o; or the state dict of "
            "torch.nn.MultiheadAttention"
        ).format(size=size),
        key=f"weights-{st.session_state.setdefault(TURN, 0)}",
        max_upload_size=MEGABYTES,
    )
    if file is not None:
        st.session_state[WEIGHTS] = read(file.getvalue(), file.name)
        st.session_state[TURN] += 1
        release(file)
        st.rerun()
    own: OwnWeights | None = st.session_state.get(WEIGHTS)
    if own is None:
        st.info(_("Weights of your own stay in this session; a link does not carry them. Choose a file to go on."))
    else:
        st.text(f"{own.name}: {own.projections}")
    return own


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


def token(asked: Heads) -> int:
    """Which of the tokens that ask, from 0: the last at first."""
    most = len(asked.asking)
    return inputs.whole("heads_token", _("Output of token (1 to {most:,})").format(most=most), (1, most), most, 220) - 1


def chosen_token(asked: Heads) -> int:
    """The token that was chosen, also where its box is not drawn."""
    most = len(asked.asking)
    return min(int(st.session_state.get("heads_token") or most), most) - 1


def part() -> Part:
    """Which of the three matrices."""
    return cast(Part, one_of_few("heads_part", _("What the heads see as"), list(PARTS), "key"))
