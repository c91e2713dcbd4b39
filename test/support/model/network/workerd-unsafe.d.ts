/** What the runtime has for tests under the flag `unsafe_module`, as far as it is used here. */
declare module "workerd:unsafe" {
  const unsafe: {
    evict(
      stub: DurableObjectStub,
      options: { readonly webSockets: "hibernate" | "close" },
    ): Promise<void>;
  };
  export default unsafe;
}
