"""A LangGraph checkpointer: threads are stored in Baton. Needs ``baton-client[langgraph]``.

One session per thread. A channel is stored once per version, so that a thread grows only by what
changed. See docs/guides/python-adapters.md.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

try:
    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import (
        WRITES_IDX_MAP,
        BaseCheckpointSaver,
        ChannelVersions,
        Checkpoint,
        CheckpointMetadata,
        CheckpointTuple,
        get_checkpoint_id,
        get_checkpoint_metadata,
    )
    from langgraph.checkpoint.serde.base import SerializerProtocol
except ImportError as error:
    raise ImportError("baton.langgraph needs: pip install 'baton-client[langgraph]'") from error

from ._async_baton import AsyncBaton
from ._baton import Baton
from ._effects import Flow
from ._journal import Entry, Journals

CHANNEL = "langgraph.channel"
CHECKPOINT = "langgraph.checkpoint"
WRITES = "langgraph.writes"
REMOVED = "langgraph.removed"
EMPTY = "empty"

Typed = tuple[str, bytes]
# Defined here, because a saver's method is called "list".
Tuples = list[CheckpointTuple]
CheckpointIds = dict[str, list[str]]


@dataclass(frozen=True)
class _Saved:
    checkpoint: Typed
    metadata: Typed
    parent: str | None


@dataclass(frozen=True)
class _Write:
    task: str
    channel: str
    value: Typed
    path: str
    index: int


@dataclass
class _Thread:
    """The fold of a thread's journal."""

    checkpoints: dict[str, dict[str, _Saved]] = field(default_factory=dict)
    channels: dict[tuple[str, str, str | int | float], Typed] = field(default_factory=dict)
    writes: dict[tuple[str, str], dict[tuple[str, int], _Write]] = field(default_factory=dict)


class BatonSaver(BaseCheckpointSaver[str]):
    """Stores checkpoints in Baton. Pass a ``Baton``, or an ``AsyncBaton`` for asyncio only.

    >>> from baton import Baton
    >>> saver = BatonSaver(baton=Baton.connect(url), namespace="my-graph")
    >>> saver.get_tuple({"configurable": {"thread_id": "1"}}) is None
    True
    """

    def __init__(
        self,
        *,
        baton: Baton | AsyncBaton,
        namespace: str = "langgraph",
        serde: SerializerProtocol | None = None,
    ) -> None:
        super().__init__(serde=serde)
        kinds = (CHANNEL, CHECKPOINT, WRITES, REMOVED)
        self._threads = Journals(baton, namespace, kinds, _Thread, _fold)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self._threads.run(self._get(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self._threads.arun(self._get(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        yield from self._threads.run(self._list(config, filter, before, limit))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for found in await self._threads.arun(self._list(config, filter, before, limit)):
            yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self._threads.run(self._put(config, checkpoint, metadata, new_versions))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return await self._threads.arun(self._put(config, checkpoint, metadata, new_versions))

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        self._threads.run(self._put_writes(config, writes, task_id, task_path))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self._threads.arun(self._put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        self._threads.run(self._threads.delete(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        await self._threads.arun(self._threads.delete(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self._threads.run(self._delete_for_runs(run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self._threads.arun(self._delete_for_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self._threads.run(self._copy(source_thread_id, target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self._threads.arun(self._copy(source_thread_id, target_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self._threads.run(self._prune(thread_ids, strategy))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self._threads.arun(self._prune(thread_ids, strategy))

    def get_next_version(self, current: str | None, channel: None) -> str:
        number = 0 if current is None else int(str(current).split(".")[0])
        return f"{number + 1:032}"

    def _get(self, config: RunnableConfig) -> Flow[CheckpointTuple | None]:
        thread_id, namespace = _thread_and_namespace(config)
        thread = yield from self._threads.read(thread_id)
        if thread is None:
            return None
        with self._threads.lock:
            saved = thread.checkpoints.get(namespace, {})
            checkpoint_id = get_checkpoint_id(config) or max(saved, default=None)
            if checkpoint_id is None or checkpoint_id not in saved:
                return None
            return self._tuple(thread, thread_id, namespace, checkpoint_id)

    def _list(
        self,
        config: RunnableConfig | None,
        filter: dict[str, Any] | None,
        before: RunnableConfig | None,
        limit: int | None,
    ) -> Flow[Tuples]:
        if config is None:
            ids = yield from self._threads.ids()
        else:
            ids = [_configurable(config)["thread_id"]]
        wanted_namespace = None if config is None else _configurable(config).get("checkpoint_ns")
        wanted = None if config is None else get_checkpoint_id(config)
        limit_id = None if before is None else get_checkpoint_id(before)
        found: Tuples = []
        for thread_id in ids:
            thread = yield from self._threads.read(thread_id)
            if thread is None:
                continue
            with self._threads.lock:
                for namespace, saved in thread.checkpoints.items():
                    if wanted_namespace is not None and namespace != wanted_namespace:
                        continue
                    for id in sorted(saved, reverse=True):
                        if limit is not None and len(found) >= limit:
                            return found
                        if (wanted is not None and id != wanted) or (
                            limit_id is not None and id >= limit_id
                        ):
                            continue
                        metadata = self.serde.loads_typed(saved[id].metadata)
                        if all(
                            metadata.get(name) == value for name, value in (filter or {}).items()
                        ):
                            found.append(self._tuple(thread, thread_id, namespace, id))
        return found

    def _tuple(self, thread: _Thread, thread_id: str, namespace: str, id: str) -> CheckpointTuple:
        saved = thread.checkpoints[namespace][id]
        checkpoint = self.serde.loads_typed(saved.checkpoint)
        values = {}
        for channel, version in checkpoint["channel_versions"].items():
            value = thread.channels.get((namespace, channel, version))
            if value is not None and value[0] != EMPTY:
                values[channel] = self.serde.loads_typed(value)
        checkpoint["channel_values"] = values
        writes = sorted(
            thread.writes.get((namespace, id), {}).values(),
            key=lambda write: (write.path, write.task, write.index),
        )
        return CheckpointTuple(
            config=_config(thread_id, namespace, id),
            checkpoint=checkpoint,
            metadata=self.serde.loads_typed(saved.metadata),
            parent_config=(
                None if saved.parent is None else _config(thread_id, namespace, saved.parent)
            ),
            pending_writes=[
                (write.task, write.channel, self.serde.loads_typed(write.value)) for write in writes
            ],
        )

    def _put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> Flow[RunnableConfig]:
        thread_id, namespace = _thread_and_namespace(config)
        stored: dict[str, Any] = {**checkpoint}
        values = stored.pop("channel_values", {})
        entries = []
        for channel, version in new_versions.items():
            typed = self.serde.dumps_typed(values[channel]) if channel in values else (EMPTY, b"")
            entries.append(_channel_entry(namespace, channel, version, typed))
        parent = _configurable(config).get("checkpoint_id")
        saved = _Saved(
            self.serde.dumps_typed(stored),
            self.serde.dumps_typed(get_checkpoint_metadata(config, metadata)),
            parent,
        )
        # Last, so that an existing checkpoint always has its channels.
        entries.append(_checkpoint_entry(namespace, checkpoint["id"], saved))
        yield from self._threads.append(thread_id, entries)
        return _config(thread_id, namespace, checkpoint["id"])

    def _put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task: str, path: str
    ) -> Flow[None]:
        if not writes:
            return
        thread_id, namespace = _thread_and_namespace(config)
        packed = [
            [WRITES_IDX_MAP.get(channel, index), channel, *_packed(self.serde.dumps_typed(value))]
            for index, (channel, value) in enumerate(writes)
        ]
        key = {"ns": namespace, "checkpoint": _configurable(config)["checkpoint_id"]}
        entry = Entry(WRITES, {**key, "task": task, "path": path, "writes": packed})
        yield from self._threads.append(thread_id, [entry])

    def _copy(self, source: str, target: str) -> Flow[None]:
        thread = yield from self._threads.read(source)
        if thread is None:
            return
        with self._threads.lock:
            entries = [
                _channel_entry(namespace, channel, version, typed)
                for (namespace, channel, version), typed in thread.channels.items()
            ]
            entries += [
                _checkpoint_entry(namespace, id, saved)
                for namespace, all_saved in thread.checkpoints.items()
                for id, saved in all_saved.items()
            ]
            entries += [
                _write_entry(namespace, id, write)
                for (namespace, id), writes in thread.writes.items()
                for write in writes.values()
            ]
        yield from self._threads.append(target, entries)

    def _prune(self, thread_ids: Sequence[str], strategy: str) -> Flow[None]:
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f'strategy is "keep_latest" or "delete", not {strategy!r}')
        for thread_id in thread_ids:
            if strategy == "delete":
                yield from self._threads.delete(thread_id)
                continue
            yield from self._remove(thread_id, lambda thread: self._older(thread))

    def _older(self, thread: _Thread) -> CheckpointIds:
        """All except the newest of each namespace and those that its delta channels need."""
        older = {}
        for namespace, saved in thread.checkpoints.items():
            kept = self._needed(thread, namespace, max(saved)) if saved else set()
            older[namespace] = [id for id in saved if id not in kept]
        return older

    def _needed(self, thread: _Thread, namespace: str, newest: str) -> set[str]:
        saved = thread.checkpoints[namespace]
        metadata = self.serde.loads_typed(saved[newest].metadata)
        missing = set(metadata.get("counters_since_delta_snapshot") or {})
        kept: set[str] = set()
        id: str | None = newest
        while id is not None and id in saved:
            kept.add(id)
            versions = self.serde.loads_typed(saved[id].checkpoint)["channel_versions"]
            missing -= {
                channel
                for channel in missing
                if thread.channels.get((namespace, channel, versions.get(channel)), (EMPTY, b""))[0]
                != EMPTY
            }
            if not missing:
                break
            id = saved[id].parent
        return kept

    def _delete_for_runs(self, run_ids: Sequence[str]) -> Flow[None]:
        wanted = set(run_ids)

        def of_runs(thread: _Thread) -> CheckpointIds:
            return {
                namespace: [
                    id
                    for id, one in saved.items()
                    if self.serde.loads_typed(one.metadata).get("run_id") in wanted
                ]
                for namespace, saved in thread.checkpoints.items()
            }

        if not wanted:
            return
        ids = yield from self._threads.ids()
        for thread_id in ids:
            yield from self._remove(thread_id, of_runs)

    def _remove(self, thread_id: str, choose: Callable[[_Thread], CheckpointIds]) -> Flow[None]:
        thread = yield from self._threads.read(thread_id)
        if thread is None:
            return
        with self._threads.lock:
            chosen = choose(thread)
        entries = [
            Entry(REMOVED, {"ns": namespace, "checkpoints": ids})
            for namespace, ids in chosen.items()
            if ids
        ]
        if entries:
            yield from self._threads.append(thread_id, entries)


def _configurable(config: RunnableConfig) -> dict[str, Any]:
    if "configurable" not in config:
        raise ValueError(
            'The config does not name a thread: give {"configurable": {"thread_id": …}}.'
        )
    return config["configurable"]


def _thread_and_namespace(config: RunnableConfig) -> tuple[str, str]:
    configurable = _configurable(config)
    return str(configurable["thread_id"]), configurable.get("checkpoint_ns", "")


def _config(thread_id: str, namespace: str, id: str) -> RunnableConfig:
    key = {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": id}
    return {"configurable": key}


def _matches(metadata: CheckpointMetadata, filter: dict[str, Any]) -> bool:
    return all(metadata.get(name) == value for name, value in filter.items())


def _packed(typed: Typed) -> tuple[str, str]:
    return typed[0], base64.b64encode(typed[1]).decode()


def _unpacked(kind: str, text: str) -> Typed:
    return kind, base64.b64decode(text)


def _channel_entry(namespace: str, channel: str, version: str | int | float, typed: Typed) -> Entry:
    key = {"ns": namespace, "channel": channel, "version": version}
    return Entry(CHANNEL, {**key, "value": _packed(typed)})


def _checkpoint_entry(namespace: str, id: str, saved: _Saved) -> Entry:
    value = {"checkpoint": _packed(saved.checkpoint), "metadata": _packed(saved.metadata)}
    return Entry(CHECKPOINT, {"ns": namespace, "id": id, "parent": saved.parent, **value})


def _write_entry(namespace: str, id: str, write: _Write) -> Entry:
    key = {"ns": namespace, "checkpoint": id, "task": write.task, "path": write.path}
    packed = [write.index, write.channel, *_packed(write.value)]
    return Entry(WRITES, {**key, "writes": [packed]})


def _fold(thread: _Thread, entry: Entry) -> None:
    value = entry.value
    namespace = value["ns"]
    match entry.kind:
        case "langgraph.channel":
            key = (namespace, value["channel"], value["version"])
            thread.channels[key] = _unpacked(*value["value"])
        case "langgraph.checkpoint":
            saved = _Saved(
                _unpacked(*value["checkpoint"]), _unpacked(*value["metadata"]), value["parent"]
            )
            thread.checkpoints.setdefault(namespace, {})[value["id"]] = saved
        case "langgraph.writes":
            writes = thread.writes.setdefault((namespace, value["checkpoint"]), {})
            for index, channel, kind, text in value["writes"]:
                at = (value["task"], index)
                # A task that runs again repeats its writes; only those with a negative index are
                # replaced.
                if index < 0 or at not in writes:
                    typed = _unpacked(kind, text)
                    writes[at] = _Write(value["task"], channel, typed, value["path"], index)
        case "langgraph.removed":
            for id in value["checkpoints"]:
                thread.checkpoints.get(namespace, {}).pop(id, None)
                thread.writes.pop((namespace, id), None)


__all__ = ["BatonSaver"]
