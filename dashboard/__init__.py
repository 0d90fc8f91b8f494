"""Everything that knows Streamlit, except the pages."""
