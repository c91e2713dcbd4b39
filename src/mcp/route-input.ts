/**
 * What a tool takes, from the request that its endpoint declares: the same members with the same
 * checks and words, named with underscores as models are used to. A tool says only what differs.
 */
import * as z from "zod";
import { API_ROUTES, type ApiRouteId } from "../protocol/api-routes";

type Table = typeof API_ROUTES;
/** A body as it was parsed, under the names that it has over HTTP. */
export type RouteBody<K extends ApiRouteId> = Table[K] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : Readonly<Record<never, never>>;

interface BodyMember {
  /** As the request names it. */
  readonly name: string;
  /** As the tool names it. */
  readonly argument: string;
  readonly schema: z.ZodType;
}

export const argumentName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `words` describe a member to a model where those of the request are too long or speak of HTTP. */
export function bodyMembersOf(
  id: ApiRouteId,
  without: readonly string[],
  words: { readonly [name: string]: string | undefined } = {},
): readonly BodyMember[] {
  const { body } = API_ROUTES[id] as { readonly body?: z.ZodObject };
  return Object.entries(body?.shape ?? {})
    .filter(([name]) => !without.includes(name))
    .map(([name, schema]) => {
      const said = words[name];
      const shown = schema as z.ZodType;
      const argument = argumentName(name);
      return { name, argument, schema: said === undefined ? shown : shown.describe(said) };
    });
}

/** The request that was meant by the arguments of a tool. */
export const bodyFromArguments = (
  members: readonly BodyMember[],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    members
      .filter(({ argument }) => args[argument] !== undefined)
      .map(({ name, argument }) => [name, args[argument]]),
  );

/** A member of a query as JSON says it: the number or the list that its text is read as. */
export const jsonQueryMember = <I extends z.ZodType, O extends z.ZodType>(
  member: z.ZodOptional<z.ZodPipe<I, O>>,
): z.ZodOptional<O> => member.unwrap().out.optional();
