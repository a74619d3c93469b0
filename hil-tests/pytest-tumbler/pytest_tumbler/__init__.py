"""Scenarios and matrix cells of tumblerd's test rig as tests of pytest."""
