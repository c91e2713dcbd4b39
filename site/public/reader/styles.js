// Scalar writes its styles into <style> elements, and the policy of this site refuses those. Instead of
// each it gets an element that the browser does not read, whose text becomes a sheet of the document:
// a script of this server may make one.
class ReaderStyle extends HTMLElement {
  #sheet = new CSSStyleSheet();

  constructor() {
    super();
    const observer = new MutationObserver(() => this.#read());
    observer.observe(this, { childList: true, characterData: true, subtree: true });
  }

  connectedCallback() {
    this.hidden = true;
    document.adoptedStyleSheets.push(this.#sheet);
    this.#read();
  }

  disconnectedCallback() {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== this.#sheet);
  }

  /** As in <style>: text, in which nothing is an element. */
  set innerHTML(text) {
    this.textContent = text;
  }

  get innerHTML() {
    return this.textContent;
  }

  #read() {
    this.#sheet.replaceSync(this.textContent);
  }
}
customElements.define("reader-style", ReaderStyle);

const create = document.createElement.bind(document);
document.createElement = (name, options) =>
  name === "style" ? create("reader-style") : create(name, options);
