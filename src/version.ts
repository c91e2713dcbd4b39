/** The version that every face tells; a test holds it to package.json. Depends on nothing. */
export const VERSION = "0.1.0";
