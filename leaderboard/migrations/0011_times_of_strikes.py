from django.db import migrations, models


def take_times_from_the_audit_trail(apps, schema_editor):
    evaluations = apps.get_model("leaderboard", "Evaluation").objects
    events = apps.get_model("leaderboard", "AuditEvent").objects
    acts = ("withdraw", "disqualify", "reinstate")
    open_strikes = {}
    for event in events.filter(act__in=acts).order_by("at", "pk"):
        kind, _, key = event.subject.rpartition(" ")
        if kind != "evaluation" or not key.isdigit():
            continue
        if event.act != "reinstate":
            open_strikes[key] = event
            continue
        strike = open_strikes.pop(key, None)
        for evaluation in evaluations.filter(pk=int(key)) if strike else ():
            period = [strike.at.isoformat(), event.at.isoformat(), strike.reason]
            evaluation.past_strikes.append(period)
            evaluation.save(update_fields=["past_strikes"])
    for key, strike in open_strikes.items():
        struck_out = evaluations.filter(
            pk=int(key), visibility__in=("withdrawn", "disqualified")
        )
        struck_out.update(struck_out_at=strike.at)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0010_ask_for_trajectories'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluation',
            name='struck_out_at',
            field=models.DateTimeField(blank=True, help_text='Unknown for the oldest withdrawals.', null=True),
        ),
        migrations.AddField(
            model_name='evaluation',
            name='past_strikes',
            field=models.JSONField(blank=True, default=list, help_text='What was taken back: from, to, reason; times in ISO 8601.'),
        ),
        migrations.RunPython(
            take_times_from_the_audit_trail, migrations.RunPython.noop
        ),
    ]
