"""Addresses of the pages about accounts."""

from django.urls import path

from web.accounts import own_changes, passwords, tokens, views

urlpatterns = [
    path("account/", passwords.own_account, name="account"),
    path("account/email/", own_changes.email, name="account-email"),
    path("account/sessions/end/", own_changes.log_out_elsewhere, name="sessions-end"),
    path("account/tokens/", tokens.own_tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke, name="token-revoke"),
    path("account/api/", tokens.reference, name="api-reference"),
    path("choose-password/<uidb64>/<token>/", passwords.ChoosePassword.as_view(), name="choose-password"),
    path("accounts/", views.accounts_page, name="accounts"),
    path("accounts/new/", views.new, name="account-new"),
    path("accounts/<int:pk>/", views.one, name="account-one"),
    path("accounts/<int:pk>/rename/", views.rename, name="account-rename"),
    path("accounts/<int:pk>/rights/", views.rights, name="account-rights"),
    path("accounts/<int:pk>/reset/", views.reset, name="account-reset"),
    path("accounts/<int:pk>/disable/", views.disable, name="account-disable"),
    path("accounts/<int:pk>/enable/", views.enable, name="account-enable"),
]
