"""Settings of one kind of task: the kind declares them, and a task stores them in `Task.settings`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models


def setting(model_field: "models.Field[Any, Any]") -> Any:
    """Declare a setting by a model field, which gives its default, its limits and its form field.

    No table has a column of it.
    """
    return field(default=model_field.get_default(), metadata={"field": model_field})


def number(default: int, least: int, most: int) -> Any:
    """Declare a whole number from `least` to `most`."""
    limits = [MinValueValidator(least), MaxValueValidator(most)]
    return setting(models.PositiveSmallIntegerField(default=default, validators=limits))


@dataclass(frozen=True)
class Settings:
    """Base class of the settings of one kind of task, and the settings of kinds that have none.

    A kind with settings declares a frozen dataclass derived from it, in which every field is a `setting`.
    """

    @classmethod
    @cache
    def model_fields(cls) -> "Mapping[str, models.Field[Any, Any]]":
        """Return the model field that validates each setting, by its name."""
        return {one.name: one.metadata["field"] for one in fields(cls)}

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Read stored settings without checking them. Missing ones have their defaults; unknown names are
        skipped.
        """
        return cls(**{name: stored[name] for name in cls.model_fields() if name in stored})

    @classmethod
    def checked(cls, stored: Mapping[str, Any]) -> Self:
        """Read and validate stored settings.

        Raises ValidationError: a bad value under the name of its setting, an unknown name under `settings`.
        """
        known, values, wrong = cls.model_fields(), {}, {}
        for name, value in asdict(cls.read(stored)).items():
            try:
                values[name] = known[name].clean(value, None)
            except ValidationError as error:
                wrong[name] = error
        if unknown := [name for name in stored if name not in known]:
            has = f"it has {', '.join(known)}" if known else "it has none"
            wrong["settings"] = ValidationError(f"This kind of task has no setting {unknown[0]!r}; {has}.")
        if wrong:
            raise ValidationError(wrong)
        return cls(**values)

    @classmethod
    def form_field(cls, name: str, **words: Any) -> Any:
        """Make the form field of a setting. words: label, help text and widget."""
        return cls.model_fields()[name].formfield(**words)
