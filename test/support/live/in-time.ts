const LIFE_MS = 2_000;

/** A time that is over while the listener is still on its way is too short for this machine. */
export async function inTime<
  House extends { readonly endsAt: number },
  Listening extends { leave(): void },
>(
  open: (lifeMs: number) => Promise<House>,
  listen: (house: House) => Promise<Listening>,
): Promise<{ readonly house: House; readonly listening: Listening }> {
  for (let lifeMs = LIFE_MS; ; lifeMs *= 2) {
    const house = await open(lifeMs);
    const listening = await listen(house).catch((error: unknown) => {
      if (Date.now() < house.endsAt) throw error;
      return null;
    });
    if (listening !== null && Date.now() < house.endsAt) return { house, listening };
    listening?.leave();
  }
}
