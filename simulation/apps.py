"""Registers the simulation, for its commands."""

from django.apps import AppConfig


class SimulationConfig(AppConfig):
    name = "simulation"
