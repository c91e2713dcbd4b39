const LIFE_MS = 2_000;

/** If the lifetime ends before the listener is connected, tries again with twice the time. */
export async function inTime<
  Fixture extends { readonly endsAt: number },
  Listening extends { leave(): void },
>(
  open: (lifeMs: number) => Promise<Fixture>,
  listen: (fixture: Fixture) => Promise<Listening>,
): Promise<{ readonly fixture: Fixture; readonly listening: Listening }> {
  for (let lifeMs = LIFE_MS; ; lifeMs *= 2) {
    const fixture = await open(lifeMs);
    const listening = await listen(fixture).catch((error: unknown) => {
      if (Date.now() < fixture.endsAt) throw error;
      return null;
    });
    if (listening !== null && Date.now() < fixture.endsAt) return { fixture, listening };
    listening?.leave();
  }
}
