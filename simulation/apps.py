"""Registers the simulation app, so that Django finds its commands."""

from django.apps import AppConfig


class SimulationConfig(AppConfig):
    name = "simulation"
