"""A name of its own tells what a function is called in its graph."""

from tensordbg.backends.tensorflow.functions.names import name_in_graph, own_name


def test_names() -> None:
    assert own_name("__inference_f_3", 1) != own_name("__inference_f_3", 2)
    assert name_in_graph(own_name("__inference_f_3", 12)) == "__inference_f_3"
    assert name_in_graph("__inference_f_3") == "__inference_f_3"
