// The pane "Repairs": a list of the booked repairs.

export async function mount(element, app) {
  const title = document.createElement("h1");
  title.textContent = app.language === "de" ? "Reparaturen" : "Repairs";
  const list = document.createElement("ul");
  element.replaceChildren(title, list);
  const response = await app.request("repairs");
  for (const { bike, fault } of await response.json()) {
    const item = document.createElement("li");
    item.textContent = `${bike}: ${fault}`;
    list.append(item);
  }
}

export function unmount(element) {
  element.replaceChildren();
}
