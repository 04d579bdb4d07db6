"""Tables out of data files. All of it runs in the reading process, which `worker` confines."""
