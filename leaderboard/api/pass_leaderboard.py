"""The answer of the leaderboard for a benchmark by pass rate."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.lookup import requested_day, wrong_choice
from leaderboard.api.pass_figures import PassFiguresSerializer
from leaderboard.api.results import PagedSerializer, Pages
from leaderboard.api.serializers import (
    ConfigurationSerializer,
    SnapshotSerializer,
    WithdrawnSerializer,
)
from leaderboard.as_of import AsOf
from leaderboard.exports import snapshot_as_dict
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, Provenance
from leaderboard.passing.documents import table_as_dict
from leaderboard.passing.standings import PassStandings, pass_standings
from leaderboard.passing.streams import streams_of


class PassRowSerializer(PassFiguresSerializer):
    """One evaluation in the table. An unranked row has no rank, label and span."""

    rank = serializers.IntegerField(allow_null=True)
    rank_label = serializers.CharField(
        allow_null=True, help_text='The rank, with "=" where it is shared.'
    )
    rank_span = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Best and worst rank that published intervals leave open.",
    )
    configuration = ConfigurationSerializer()
    provenance = serializers.ChoiceField(choices=Provenance.choices)
    simulated = serializers.BooleanField()
    unverified = serializers.BooleanField()
    differing_fields = serializers.ListField(child=serializers.CharField())
    published_at = serializers.DateTimeField(allow_null=True)
    struck_out_at = serializers.DateTimeField(allow_null=True)
    withdrawn_reason = serializers.CharField(allow_blank=True)
    evaluation_url = serializers.CharField()


class PassLeaderboardSerializer(PagedSerializer):
    """A table by pass rate: other rows than those by Task Completion."""

    snapshot = SnapshotSerializer()
    policy = serializers.CharField(help_text="`pass-and-completion`.")
    scope = serializers.CharField(help_text="`overall`, or the slug of a stream.")
    as_of = serializers.DateField(allow_null=True)
    data_version = serializers.CharField()
    license = serializers.CharField()
    results = PassRowSerializer(many=True)
    unranked = PassRowSerializer(many=True)
    withdrawn = WithdrawnSerializer(many=True)


def requested_table(
    request: Request, snapshot: EvaluationSnapshot
) -> tuple[PassStandings, AsOf | None]:
    """The table of ``?source=`` at the end of ``?as_of=``, or a problem."""
    streams = {each.slug: each for each in streams_of(snapshot)}
    text = request.query_params.get("source") or Scope.OVERALL.value
    if text != Scope.OVERALL and text not in streams:
        raise wrong_choice("source", text, [Scope.OVERALL.value, *streams])
    as_of = requested_day(request, snapshot)
    until = as_of.until if as_of else None
    return pass_standings(snapshot, streams.get(text), until=until), as_of


def pass_leaderboard(request: Request, snapshot: EvaluationSnapshot) -> Response:
    """One page of the table; what stands apart comes with the first."""
    table, as_of = requested_table(request, snapshot)
    document = table_as_dict(table, as_of)
    pages = Pages()
    offset, limit = pages.window(request)
    rows: list[Any] = document.pop("results")
    pages.count = len(rows)
    if offset:
        document |= {"unranked": [], "withdrawn": []}
    return pages.get_paginated_response(
        rows[offset : offset + limit],
        snapshot=snapshot_as_dict(snapshot),
        **document,
    )
