"""Paints the demonstration's pictures anew: `.venv/bin/python -m scripts.painter`. Takes some seconds."""

from scripts.painter.painting import paint_all

if __name__ == "__main__":
    paint_all()
