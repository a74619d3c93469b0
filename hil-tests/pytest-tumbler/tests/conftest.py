import pytest

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Where runs of pytest without --tumbler-out leave their evidence."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place
