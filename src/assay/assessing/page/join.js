// The page of a link. The token is behind the #, which no browser sends, so that previews of links cannot use it up.

import { ask } from "/page/outbox.js";

const token = location.hash.slice(1);
const button = document.getElementById("open");
if (token) {
  document.getElementById("what").textContent = "You are invited to judge documents. The link works once, in this browser.";
  button.hidden = false;
  button.focus();
}
button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    await ask("/join", { token });
    location.replace("/");
  } catch (error) {
    document.getElementById("problem").textContent = error.message;
    history.replaceState(null, "", "/join");
  }
});
