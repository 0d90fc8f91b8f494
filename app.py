"""The dashboard's entry point: `streamlit run app.py`."""

import streamlit as st

from dashboard import frame

st.set_page_config(page_title="Attention Scope", page_icon="🔭", layout="wide")
frame.run()
