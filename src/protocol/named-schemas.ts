/** How the wire declares its objects: each has a name, under which the API description lists it. */
import * as z from "zod";

export const namedSchema = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** What clients send. Unknown keys are refused: a typing mistake must not pass. */
export const bodySchema = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
