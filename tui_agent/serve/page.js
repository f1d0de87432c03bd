// Keys belong to the program as soon as the page is there, and again when somebody comes back to it.
const takeKeys = () => document.querySelector(".xterm-helper-textarea")?.focus();
addEventListener("load", () => setTimeout(takeKeys, 0));
addEventListener("focus", takeKeys);
