"""io_path.json is the one home of the path's labels, order and colors: the enums and what the front end generates agree with it."""

import json
import re
from pathlib import Path

import pytest

from gavel.domain.io_path import LAYER_STYLES, PATH_COLORS, SEGMENT_STYLES, Layer, Segment

ROOT = Path(__file__).resolve().parents[2]
FILE = json.loads((ROOT / "backend/gavel/domain/io_path.json").read_text("utf-8"))
FRONTEND = ROOT / "frontend/src"


def test_layers_and_segments_stand_in_the_order_of_the_path() -> None:
    assert list(LAYER_STYLES) == list(Layer)
    assert list(SEGMENT_STYLES) == list(Segment)


def test_colors_are_all_defined_and_all_used() -> None:
    used = {layer.color for layer in LAYER_STYLES.values()} | {segment.color for segment in SEGMENT_STYLES.values()}
    assert used == set(PATH_COLORS)


def test_neighbors_of_one_color_are_kept_apart_by_stripes() -> None:
    styles = list(SEGMENT_STYLES.values())
    for index, style in enumerate(styles):
        same = [other for other in styles[index + 1 :] if other.color == style.color]
        assert all(other.hatched != style.hatched for other in same), style.label


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
def test_style_sheet_of_the_pages_has_the_colors_of_the_file(theme: str) -> None:
    css = (FRONTEND / "styles/tokens.css").read_text("utf-8").split(f'[data-theme="{theme}"]')[1].split("}")[0]
    tokens = dict(re.findall(r"--gv-([\w-]+):\s*(#[0-9a-f]{6});", css))
    for name, themes in FILE["colors"].items():
        variable = name.replace("_", "-")
        assert (tokens[variable], tokens[f"{variable}-edge"]) == (themes[theme]["fill"], themes[theme]["edge"]), name


def test_generated_lists_of_the_pages_have_every_name_of_the_file() -> None:
    looks = (FRONTEND / "charts/ioPath.ts").read_text("utf-8")
    labels = (FRONTEND / "copy/ioPathNames.ts").read_text("utf-8")
    for entry in (*FILE["layers"], *FILE["segments"]):
        assert f"'{entry['name']}'" in looks or f"{entry['name']}:" in looks
        assert f"{entry['name']}: '{entry.get('term', entry['label'])}'" in labels
