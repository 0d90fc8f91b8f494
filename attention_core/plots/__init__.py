"""Plotly figures of numbers that are given; their words come through `Style.text`, so that they can be translated."""
