/** How the wire declares its objects: each has a name, under which the API description lists it. */
import * as z from "zod";

export const named = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** What clients send. Unknown keys are refused: a typing mistake must not pass. */
export const body = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
