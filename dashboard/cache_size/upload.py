"""The reader's own config.json, which stays in the session."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

import attention_core as ac
from dashboard.cache_size import findings
from dashboard.cache_size.inputs import MOST_MODELS, OWN, USUAL
from dashboard.language import _
from dashboard.upload import release

CONFIGURATION, TURN, REFUSED = "_configuration", "_configuration_turn", "_configuration_refused"


def own() -> ac.kv_cache.ModelPreset | None:
    """The model of the configuration that was read last."""
    found: ac.kv_cache.Configuration | None = st.session_state.get(CONFIGURATION)
    return None if found is None else found.preset


def configuration() -> None:
    """Draws the uploader, and what was noticed about the last configuration.

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
        turn = st.session_state.setdefault(TURN, 0)
        file = st.file_uploader(_("config.json"), key=f"cache-config-{turn}", max_upload_size=4)
        found: ac.kv_cache.Configuration | None = st.session_state.get(CONFIGURATION)
        if found is not None:
            st.markdown(findings.of_configuration(found.preset))
            for note in found.notes:
                st.text(note)
        if file is not None:
            _read(file)


def _read(file: UploadedFile) -> None:
    refused = st.session_state.get(REFUSED)
    if refused and refused[0] == file.file_id:
        raise refused[1]
    try:
        found = ac.kv_cache.read_config(file, OWN)
    except ac.CacheError as error:
        st.session_state[REFUSED] = (file.file_id, error)
        raise
    chosen = st.session_state.get("cache_models", list(USUAL))
    st.session_state["cache_models"] = [OWN, *(name for name in chosen if name != OWN)][:MOST_MODELS]
    st.session_state[CONFIGURATION] = found
    st.session_state[TURN] += 1
    release(file)
    st.rerun()
