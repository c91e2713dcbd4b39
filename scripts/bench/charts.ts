/** The charts of a run. */
import { drawBars, type Bar } from "./chart.ts";
import type { Row } from "./compare.ts";
import { drawLines } from "./line-chart.ts";
import type { Result } from "./result.ts";
import { short } from "./table.ts";

const ratioBar = ({ name, ratio, target }: Row): Bar => ({
  label: name,
  value: ratio.middle,
  low: ratio.low,
  high: ratio.high,
  text: ratio.middle.toFixed(2),
  ...(target === null ? {} : { target }),
});

const FLOOR = { value: 1, label: "the floor" };

/** The charts by file name, only for the parts that the run measured. */
export function chartsOf(result: Result): Readonly<Record<string, string>> {
  const charts: Record<string, string> = {};
  const requests = result.rows.filter(({ group }) => group !== "replay");
  const replays = result.rows.filter(({ group }) => group === "replay");
  if (requests.length > 0) {
    charts["requests.svg"] = drawBars({
      title: "Requests: throughput as a share of the floor's",
      description:
        "Medians of alternating rounds; the thin line spans the rounds, the tick is the target.",
      bars: requests.map(ratioBar),
      reference: FLOOR,
    });
  }
  if (replays.length > 0) {
    charts["replay.svg"] = drawBars({
      title: "Replay: throughput as a share of the floor's range read",
      description:
        "Medians of alternating rounds; the thin line spans the rounds, the tick is the target.",
      bars: replays.map(ratioBar),
      reference: FLOOR,
    });
  }
  if (result.memory !== undefined) {
    charts["memory.svg"] = drawBars({
      title: "Replay: peak memory of the runtime",
      description: "Resident memory of the whole process of the runtime, in megabytes.",
      bars: result.memory.flatMap(({ events, form, floor, baton }) => [
        {
          label: `${events.toLocaleString("en")} as ${form}`,
          value: baton.peakMb,
          text: `${short(baton.peakMb)} MB`,
        },
        { label: "floor", value: floor.peakMb, text: `${short(floor.peakMb)} MB`, isFloor: true },
      ]),
    });
  }
  if (result.delivery !== undefined) {
    charts["delivery.svg"] = drawBars({
      title: "From an append to its listeners, 50 and 99 in a hundred",
      description: "Milliseconds from sending the append until a listener has the event.",
      bars: result.delivery.flatMap(({ listeners, floor, baton }) =>
        ([50, 99] as const).flatMap((share) => {
          const of = (side: typeof floor) => (share === 50 ? side.p50Ms : side.p99Ms);
          return [
            {
              label: `${listeners.toLocaleString("en")} listeners, p${share}`,
              value: of(baton),
              text: `${short(of(baton))} ms`,
            },
            { label: "floor", value: of(floor), text: `${short(of(floor))} ms`, isFloor: true },
          ];
        }),
      ),
    });
  }
  if (result.many !== undefined) {
    const { baton, floor } = result.many;
    charts["many.svg"] = drawLines({
      title: "Memory of the runtime over the number of sessions used",
      description: "Megabytes after so many sessions, used one after the other.",
      unit: "MB",
      lines: [
        { label: "Baton", points: baton.map((one) => [one.sessions, one.residentMb]) },
        {
          label: "floor",
          points: floor.map((one) => [one.sessions, one.residentMb]),
          isFloor: true,
        },
      ],
    });
  }
  if (result.peers !== undefined) {
    charts["peers.svg"] = drawBars({
      title: "Events per second as a share of the Durable Streams server's",
      description: "Medians of alternating rounds; the thin line spans the rounds.",
      bars: result.peers.map(({ name, row }) => ({
        ...ratioBar(row),
        label: name.replaceAll("`", ""),
      })),
      reference: { value: 1, label: "Durable Streams" },
    });
  }
  return charts;
}
