"""The search field: its language, which events fit, and what may be typed next."""
