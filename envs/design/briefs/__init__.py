"""Briefs for designers: generated ones by the recipe of GraphicBench, and a reader of its released files."""

from designgym.envs.design.briefs.brief import TYPES, Brief, BriefImage, DesignType, NamedColor, TextPart, VisualPart

__all__ = ["TYPES", "Brief", "BriefImage", "DesignType", "NamedColor", "TextPart", "VisualPart"]
