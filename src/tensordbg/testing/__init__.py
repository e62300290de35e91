"""Tests of programs: fails one whose numbers stop being finite, by a plugin of pytest or `tensordbg.assert_finite`."""
