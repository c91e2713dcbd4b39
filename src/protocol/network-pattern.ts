/**
 * How a network is written, for readers of the API description: an IPv4 or IPv6 address in plain
 * spelling, with or without the number of its leading bits. What is accepted is decided by isPrefix,
 * which also reads an IPv4 address inside an IPv6 one.
 */
const OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = `${OCTET}(\\.${OCTET}){3}(/([1-9]|[12][0-9]|3[0-2]))?`;

const GROUP = "[0-9A-Fa-f]{1,4}";
const GROUPS = 8;
const groups = (least: number, most: number): string => `${GROUP}(:${GROUP}){${least},${most}}`;

/** `::` stands for one group or more: so many before it leave room for so many after it. */
const shortened = Array.from({ length: GROUPS }, (_, before) => {
  const head = before === 0 ? "" : groups(before - 1, before - 1);
  const after = GROUPS - 1 - before;
  return `${head}::${after === 0 ? "" : `(${groups(0, after - 1)})?`}`;
});
const IPV6 = `(${[groups(GROUPS - 1, GROUPS - 1), ...shortened].join("|")})(/([1-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))?`;

export const NETWORK_PATTERN = `^(${IPV4}|${IPV6})$`;
