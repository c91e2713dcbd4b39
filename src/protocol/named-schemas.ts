/** Declares objects on the wire. Each has a name, under which OpenAPI lists it. */
import * as z from "zod";

export const namedSchema = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id });

/** For request bodies. Unknown members are refused, so that a typo is noticed. */
export const bodySchema = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });
