"""Plotly figures of numbers that are given; the words on them come through `text`, so that they can be translated."""
