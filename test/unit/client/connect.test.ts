import { expect, it } from "vitest";
import { Baton } from "../../../src/client";

it.each([
  ["", '"" is not the address of a server'],
  ["localhost", '"localhost" is not the address of a server'],
  ["ftp://baton.example", "begins with http:// or https://, not ftp:"],
])("connecting to %j says what is wrong with it", (url, problem) => {
  expect(() => Baton.connect(url)).toThrow(problem);
});
