/**
 * Derives the arguments of a tool from the body of its API route: the same members with the same checks
 * and descriptions, in snake_case. A tool declares only the differences.
 */
import * as z from "zod";
import { API_ROUTES, type ApiRouteId } from "../protocol/api-routes";

type Table = typeof API_ROUTES;
/** The parsed body, with the member names of the HTTP API. */
export type RouteBody<K extends ApiRouteId> = Table[K] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : Readonly<Record<never, never>>;

interface BodyMember {
  /** Its name in the request. */
  readonly name: string;
  /** Its name as an argument of the tool. */
  readonly argument: string;
  readonly schema: z.ZodType;
}

export const argumentName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `descriptions` replace those of the request if they are too long for a model or mention HTTP. */
export function bodyMembersOf(
  id: ApiRouteId,
  omit: readonly string[],
  descriptions: { readonly [name: string]: string | undefined } = {},
): readonly BodyMember[] {
  const { body } = API_ROUTES[id] as { readonly body?: z.ZodObject };
  return Object.entries(body?.shape ?? {})
    .filter(([name]) => !omit.includes(name))
    .map(([name, schema]) => {
      const description = descriptions[name];
      const declared = schema as z.ZodType;
      const argument = argumentName(name);
      return {
        name,
        argument,
        schema: description === undefined ? declared : declared.describe(description),
      };
    });
}

/** The body of the request that these arguments describe. */
export const bodyFromArguments = (
  members: readonly BodyMember[],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    members
      .filter(({ argument }) => args[argument] !== undefined)
      .map(({ name, argument }) => [name, args[argument]]),
  );

/** The JSON form of a query parameter: the number or list that its text is parsed to. */
export const jsonQueryMember = <I extends z.ZodType, O extends z.ZodType>(
  member: z.ZodOptional<z.ZodPipe<I, O>>,
): z.ZodOptional<O> => member.unwrap().out.optional();
