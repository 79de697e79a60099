"""Forms about accounts and passwords, in the product's words."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm, UsernameField
from django.contrib.auth.models import User

from collection.credentials.accounts import Rights
from collection.credentials.api_tokens import ENDS
from collection.models import ApiToken, Membership, Study
from web.shared.form_words import Worded

DIFFER = "The two passwords are not the same."


class NameForm(Worded, forms.Form):
    """Name of an account."""

    username = UsernameField(
        max_length=150,
        label="Username",
        help_text="Letters, digits and @ . + - _, no spaces.",
        error_messages={"required": "Give the account a name."},
        # It is another person's name: the browser must not fill in one's own.
        widget=forms.TextInput(attrs={"spellcheck": "false"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].widget.attrs["autocomplete"] = "off"
        self.use_required_attribute = False


class RightsForm(Worded, forms.Form):
    """Rights of an account; only rights that the giver has are offered and accepted."""

    make_studies = forms.BooleanField(required=False, label="May make studies")
    make_accounts = forms.BooleanField(
        required=False,
        label="May make accounts, and rename, reset and disable those of people who take part only in "
        "studies that this one organizes",
    )
    see_panel_ids = forms.BooleanField(
        required=False,
        label="May see panels' ids of people in studies that it organizes: whom to pay and whom to keep out. "
        "Each showing is stored with its reason",
    )
    publish_for_real = forms.BooleanField(
        required=False, label="May publish for real people, for real money, on Mechanical Turk"
    )

    def __init__(self, *args: Any, own: Rights, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, held in asdict(own).items():
            if not held:
                del self.fields[name]

    def rights(self) -> Rights:
        """The ticked rights."""
        return Rights(**{name: self.cleaned_data.get(name, False) for name in asdict(Rights())})


class AccountForm(RightsForm, NameForm):
    """A new account: its name, its rights, and its role in the study from whose page one comes."""

    part = forms.ChoiceField(
        choices=[*Membership.Role.choices, ("", "None yet")],
        required=False,
        initial=Membership.Role.COORDINATOR,
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, study: Study | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if study is None:
            del self.fields["part"]
        else:
            self.fields["part"].label = f"Part in {study.name}"
        self.order_fields(["username", "part"])


class _NewPassword(Worded, SetPasswordForm):
    """A new password; faults are told once, at its first field."""

    def validate_password_for_user(self, user: User, password_field_name: str = "") -> None:
        super().validate_password_for_user(user, "new_password1")
        if self.has_error("new_password1"):
            self["new_password1"].help_text = ""


class ChooseForm(_NewPassword):
    """A new password, twice."""

    error_messages = {"password_mismatch": DIFFER}

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        _word(self)


class ChangeForm(_NewPassword, PasswordChangeForm):
    """The present password, and a new one twice."""

    error_messages = {
        "password_mismatch": DIFFER,
        "password_incorrect": "This is not your present password.",
    }

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.fields["old_password"].label = "Present password"
        self.fields["old_password"].error_messages["required"] = "Give your present password."
        self.fields["old_password"].widget.attrs.pop("autofocus", None)
        _word(self)


class EmailForm(Worded, forms.Form):
    """The address to which an account's notifications go."""

    email = forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Empty: you get no mails.",
        error_messages={"invalid": "Give an address such as ada@example.org."},
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class TokenForm(Worded, forms.Form):
    """A personal API token: its name, its scopes, and when it expires."""

    name = forms.CharField(
        max_length=60,
        label="What uses it",
        help_text="So that you know later which one to revoke: a program and where it runs, say.",
        error_messages={"required": "Say what uses the token."},
    )
    scopes = forms.MultipleChoiceField(
        choices=ApiToken.Scope.choices,
        label="What it is for",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose what the token is for."},
    )
    days = forms.TypedChoiceField(
        choices=[(days, "1 day" if days == 1 else f"{days} days") for days in ENDS],
        coerce=int,
        initial=30,
        label="It ends after",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_required_attribute = False
        self.fields["name"].widget.attrs["autocomplete"] = "off"


def _word(form: forms.BaseForm) -> None:
    form.use_required_attribute = False
    new, again = form.fields["new_password1"], form.fields["new_password2"]
    new.label, again.label = "New password", "New password, again"
    new.help_text = "At least 10 characters, and not a common password."
    again.help_text = ""
    new.error_messages["required"] = "Choose a password."
    again.error_messages["required"] = "Give it a second time."
