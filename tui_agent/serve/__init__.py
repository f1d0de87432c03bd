"""The app in a browser: each page that is opened runs an app of its own on this machine. Needs the extra `serve`."""
