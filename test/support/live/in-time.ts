const LIFE_MS = 2_000;

/** If the lifetime ends before the listener is connected, tries again with twice the time. */
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
