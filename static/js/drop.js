// Files may be dropped anywhere on the frame of the page's form; without a mouse, or without this, they are chosen.
const form = document.getElementById("drop");
const input = document.getElementById("files");

const over = (event, on) => {
  event.preventDefault();
  form.classList.toggle("over", on);
};

form.addEventListener("dragover", (event) => over(event, true));
form.addEventListener("dragleave", (event) => over(event, false));
form.addEventListener("drop", (event) => {
  over(event, false);
  if (event.dataTransfer.files.length) {
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  }
});
