"""The trace on disk: its layout, its writer for the recorded program, and its reader."""
