"""The command with which people judge documents."""

from __future__ import annotations

import os

import click

from assay.cli import Interrupted
from assay.cli.command import command, option
from assay.errors import InputError, UsageError
from assay.vocabulary import ROLES


@command()
@click.argument("study", required=False, type=click.Path())
@option(
    "--documents",
    type=click.Path(),
    help="The documents: a folder, a .zip or .tar archive, or JSONL.",
    group="The study",
)
@option(
    "-o", "--output", type=click.Path(), help="The .jsonl file to write the gold of questions to.", group="The study"
)
@option("--demo", is_flag=True, help="Open a study of the example documents, in a temporary folder.", group="The study")
@option("--name", default="me", show_default=True, help="Your name in the judgments.", group="The study")
@option(
    "--suggest",
    metavar="FILE.py:FUNCTION",
    help="A Python function that suggests what to highlight; shown for four of five documents.",
    group="The study",
)
@option("--no-browser", is_flag=True, help="Print the link, but open no browser.", group="The study")
@option("--invite", metavar="NAME", help="Print a link for this person and exit.", group="People")
@option(
    "--role",
    type=click.Choice(ROLES),
    default="assessor",
    show_default=True,
    help="Role of the person to --invite.",
    group="People",
)
@option(
    "--days",
    type=click.FloatRange(0.01, 365),
    default=14,
    show_default=True,
    help="How many days the link works.",
    group="People",
)
@option("--revoke", metavar="NAME", help="End the access of this person and exit.", group="People")
@option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.", group="The server")
@option(
    "--port",
    type=click.IntRange(0, 65535),
    help="The port; 8765 by default, or another if it is taken.",
    group="The server",
)
@option(
    "--allow-host",
    multiple=True,
    metavar="HOST",
    help="A host name under which people reach this server; repeatable.",
    group="The server",
)
@option("--certificate", type=click.Path(), help="A TLS certificate (PEM).", group="The server")
@option("--key", type=click.Path(), help="The private key of the --certificate.", group="The server")
@option("--insecure", is_flag=True, help="Let others on the network judge without TLS.", group="The server")
def assess(
    study: str | None,
    documents: str | None,
    output: str | None,
    demo: bool,
    name: str,
    suggest: str | None,
    no_browser: bool,
    invite: str | None,
    role: str,
    days: float,
    revoke: str | None,
    host: str,
    port: int | None,
    allow_host: tuple[str, ...],
    certificate: str | None,
    key: str | None,
    insecure: bool,
) -> None:
    """Open a page in the browser on which people highlight what is relevant.

    STUDY is a study (`assay pool` makes one), or a file of questions if you have documents but no runs. With questions,
    -o names the gold, which Assay writes again after each stroke.

    \b
    assay assess study.db --documents articles/
    assay assess questions.jsonl --documents manuals/ -o gold.jsonl
    assay assess study.db --invite anna
    assay assess --demo
    """
    from assay.assessing import launch
    from assay.studies.study import is_study, open_study

    if invite is None and revoke is None:
        launch.require_extra()
    if demo:
        if study or documents or output:
            raise UsageError("--demo brings its own study and documents; leave out STUDY, --documents and --output")
        import tempfile

        study, documents = launch.study_of_example(tempfile.mkdtemp(prefix="assay-demo-"))
    if study is None:
        raise click.MissingParameter(ctx=click.get_current_context(), param_type="argument", param_hint="STUDY")
    if invite is not None:
        click.echo(launch.invitation(study, invite, role, days))
        return
    if revoke is not None:
        from assay.assessing.people import revoke as end_access

        with open_study(study) as opened:
            end_access(opened, revoke)
        return
    if documents is None:
        raise UsageError("no documents to judge; pass --documents")
    if certificate and not key:
        raise UsageError("--certificate requires --key")
    address = launch.Address(host, launch.PORT if port is None else port, allow_host, certificate, key)
    if not (address.is_loopback or certificate or insecure):
        what = f"{host} can be reached from the network, and without TLS others there can read everything"
        raise UsageError(f"{what}; pass --certificate and --key, or --insecure")
    if address.is_everywhere and not allow_host:
        raise UsageError(
            f"{host} is not a host name; pass --allow-host with the name under which others reach this machine"
        )
    if not is_study(study):
        if not os.path.exists(study):
            raise InputError("no such file; expected a study or questions", study)
        if output is None:
            raise InputError("not a study; if these are questions, pass --output to name a file for the gold", study)
        study = launch.study_of_questions(study, output)
    elif output is not None:
        raise UsageError("--output works only with questions; `assay convert` writes the judgments of a study")

    from assay.documents.lookup import Documents

    def ready(url: str, link: str) -> None:
        click.echo(f"{study}: open {link}", err=True)
        click.echo("The link works once. Press Ctrl+C to stop; everything is saved as you go.", err=True)
        if not no_browser:
            import webbrowser

            webbrowser.open(link)

    try:
        launch.run_study(study, Documents(documents), address, name, output, suggest, ready)
    except Interrupted:
        # that is how it ends
        click.echo("stopped", err=True)
