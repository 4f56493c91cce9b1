"""The engine: its parts, and the table of its verbs. Each verb is a function in its noun's file."""

from commonplace.engine import banks, forgetting, memories, replies
from commonplace.engine import history as past
from commonplace.engine.parts import Parts


class Engine(Parts):
    """Everything a face can ask for."""

    __slots__ = ()

    create_bank = banks.create_bank
    update_bank = banks.update_bank
    get_bank = banks.get_bank
    list_banks = banks.list_banks
    delete_bank = forgetting.delete_bank

    remember = memories.remember
    remember_many = memories.remember_many
    remember_once = replies.remember_once
    once = replies.once
    get = memories.get
    get_by_key = memories.get_by_key
    list = memories.list_memories
    count = memories.count
    revise = memories.revise
    tag = memories.tag
    list_tags = memories.list_tags

    forget = forgetting.forget
    forget_where = forgetting.forget_where
    restore = forgetting.restore
    purge = forgetting.purge
    purge_where = forgetting.purge_where

    history = past.history
    get_version = past.get_version
    revision = past.revision
    revisions = past.revisions
    at_revision = past.at_revision
    list_projects = past.list_projects
