"""The reader's own config.json, which stays in the session."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

import attention_core as ac
from dashboard.cache_size import findings
from dashboard.cache_size.inputs import MOST_MODELS, OWN, USUAL
from dashboard.language import _
from dashboard.own_file import OwnFile

CONFIGURATION = OwnFile["ac.kv_cache.Configuration"]("cache-config")


def own() -> ac.kv_cache.ModelPreset | None:
    """The model of the configuration that was read last."""
    found = CONFIGURATION.found()
    return None if found is None else found.preset


def configuration() -> None:
    """Draws what was noticed about the last configuration, and the uploader.

    Raises:
        CacheError: the file that stands in the uploader is no configuration that can be sized.
    """
    with st.expander(_("Your own model"), key="cache-own"):
        st.caption(
            _(
                "The config.json of a language model, as on Hugging Face: Llama, Qwen, Mistral, Gemma, DeepSeek, "
                "gpt-oss, Phi, Falcon, GPT-2 and what shares their fields. It stays in this session and is never part "
                "of a link."
            )
        )
        found = CONFIGURATION.found()
        if found is not None:
            st.markdown(findings.of_configuration(found.preset))
            for note in found.notes:
                st.text(note)
        CONFIGURATION.box(_("config.json"), 4, _read)


def _read(file: UploadedFile) -> ac.kv_cache.Configuration:
    """What the file holds; its model joins those that are compared."""
    found = ac.kv_cache.read_config(file, OWN)
    chosen = st.session_state.get("cache_models", list(USUAL))
    st.session_state["cache_models"] = [OWN, *(name for name in chosen if name != OWN)][:MOST_MODELS]
    return found
