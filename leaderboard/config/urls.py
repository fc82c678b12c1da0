"""All URLs: pages in two languages, the API and the machine-readable rest without."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.apps import apps
from django.conf.urls.i18n import i18n_patterns
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

admin.autodiscover()
# Secrets have no page, and providers are configured by the environment alone.
for name in (
    "mfa.Authenticator",
    "socialaccount.SocialApp",
    "socialaccount.SocialToken",
):
    admin.site.unregister(apps.get_model(name))
# The admin has a form of its own, which knows nothing of second factors and limits.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # as allauth's manual says

urlpatterns = [
    path("healthz", include("leaderboard.urls.health")),
    path("api/v1/", include("leaderboard.urls.api")),
    path("api/v1/", include("evaluator.urls.api")),
    path("api/v1/", include("submissions.urls.api")),
    path("api/", include("leaderboard.urls.schema")),
    path("", include("leaderboard.urls.schemas")),
    path("", include("submissions.urls.schemas")),
    path("admin/", admin.site.urls),
    *[
        path(
            f"{code}/{rest}",
            RedirectView.as_view(url="/zh-hans/%(rest)s", query_string=True),
            {} if rest else {"rest": ""},
        )
        for code in ("zh", "zh-cn")
        for rest in ("", "<path:rest>")
    ],
    *i18n_patterns(
        path("", include("leaderboard.urls.pages")),
        path("", include("evaluator.urls.pages")),
        path("", include("submissions.urls.accounts")),
        path("", include("submissions.urls.pages")),
        prefix_default_language=False,
    ),
]
