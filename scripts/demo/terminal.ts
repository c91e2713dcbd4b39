/** Writes headings, lines and pauses to the terminal. It uses colour only for people, and wraps lines. */
import { setTimeout as sleep } from "node:timers/promises";
import { wrap } from "../../src/cli/paint.ts";

type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";
const CODES: Readonly<Record<Colour, number>> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};
const WIDEST = 84;
const NARROWEST = 30;
const SPEAKER = 9;

interface TerminalOptions {
  readonly stream: NodeJS.WriteStream;
  readonly environment: NodeJS.ProcessEnv;
  /** 1 is for people, 0 for tests. */
  readonly speed: number;
}

export class Terminal {
  readonly width: number;
  readonly #stream: NodeJS.WriteStream;
  readonly #isColoured: boolean;
  readonly #speed: number;

  constructor({ stream, environment, speed }: TerminalOptions) {
    this.#stream = stream;
    this.#speed = speed;
    const isForced = (environment["FORCE_COLOR"] ?? "0") !== "0";
    const isPerson = stream.isTTY === true && environment["TERM"] !== "dumb";
    this.#isColoured = !environment["NO_COLOR"] && (isForced || isPerson);
    const columns = Number(environment["COLUMNS"]) || stream.columns || 80;
    this.width = Math.min(WIDEST, Math.max(NARROWEST, columns - 2));
  }

  readonly #style = (open: number, close: number, text: string): string =>
    this.#isColoured ? `\u001b[${open}m${text}\u001b[${close}m` : text;

  bold = (text: string): string => this.#style(1, 22, text);
  dim = (text: string): string => this.#style(2, 22, text);
  paint = (colour: Colour, text: string): string => this.#style(CODES[colour], 39, text);

  write(text: string): void {
    this.#stream.write(text);
  }

  line(text = ""): void {
    this.write(`${text}\n`);
  }

  title(title: string, subtitle: string): void {
    this.line();
    this.line(`  ${this.bold(this.paint("cyan", title))}`);
    for (const part of wrapped(subtitle, this.width - 2)) this.line(`  ${this.dim(part)}`);
  }

  async act(number: number, title: string): Promise<void> {
    await this.pause(1_600);
    const rest = "─".repeat(Math.max(0, this.width - title.length - 6));
    this.line();
    this.line(
      `  ${this.bold(this.paint("cyan", `${number}`))}  ${this.bold(title)} ${this.dim(rest)}`,
    );
    await this.pause(700);
  }

  /** Writes a line with its speaker. A long line continues below. */
  message(who: string, colour: Colour, text: string, right = ""): void {
    const available = this.width - SPEAKER - 4;
    const speaker = this.paint(colour, who.padEnd(SPEAKER));
    const [first = "", ...more] = wrapped(text, available);
    const gap = " ".repeat(Math.max(1, available - first.length - right.length));
    const fits = right !== "" && first.length + right.length < available;
    this.line(`  ${speaker}  ${first}${fits ? gap + this.bold(right) : ""}`);
    const indent = " ".repeat(SPEAKER + 4);
    for (const part of fits || right === "" ? more : [...more, right]) this.line(indent + part);
  }

  /** A side note for the viewer. */
  note(text: string): void {
    const indent = " ".repeat(SPEAKER + 4);
    for (const part of wrapped(text, this.width - SPEAKER - 4)) this.line(indent + this.dim(part));
  }

  async countDown(ms: number): Promise<void> {
    this.write(" ".repeat(SPEAKER + 4));
    for (let left = Math.max(1, Math.round(ms / 1_000)); left > 0; left--) {
      this.write(this.paint("yellow", `${left} s … `));
      if (this.#speed > 0) await sleep(Math.min(1_000, ms));
    }
    this.line();
  }

  async pause(ms: number): Promise<void> {
    if (this.#speed > 0) await sleep(ms * this.#speed);
  }
}

const wrapped = (text: string, width: number): readonly string[] => wrap(text, width).split("\n");
