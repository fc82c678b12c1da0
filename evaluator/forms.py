"""Forms of the evaluator's pages."""

from __future__ import annotations

from django import forms


class RequeueForm(forms.Form):
    """Run stuck task runs again: all of an evaluation, or one."""

    reason = forms.CharField(required=False, max_length=2000, strip=True)
    task = forms.SlugField(required=False, max_length=80)
    run = forms.IntegerField(required=False, min_value=1)
    next = forms.CharField(required=False, max_length=500)
