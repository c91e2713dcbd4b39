/** In Node and in the test runtime alike. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((settle) => {
    setTimeout(settle, ms);
  });
